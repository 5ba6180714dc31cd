interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL: (url: string) => string },
  ): {
    createScriptURL(url: string): string;
  };
}

const policy = (globalThis as { trustedTypes?: TrustedTypes }).trustedTypes?.createPolicy('aish', {
  createScriptURL: (url) => url,
});

/** Returns the address of a script. This works only for our own files, because nothing else may run here. */
export function scriptUrl(name: 'hub.js' | 'sw.js'): string {
  const { href } = new URL(name, document.baseURI);
  return policy?.createScriptURL(href) ?? href;
}
