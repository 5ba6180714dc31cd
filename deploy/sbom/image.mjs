// This module knows the contents of an image: it has the script that lists them inside, and builds the CycloneDX
// document from that list.
import { createHash, randomUUID } from 'node:crypto';

/**
 * This script runs in the image. It prints a line per item, with tab-separated fields. Manifests are on one line: line
 * breaks and tabs become blanks.
 */
export const LIST = `
command -v dpkg-query >/dev/null || { echo 'The image is not made from Debian: there is no dpkg-query in it.' >&2; exit 1; }
. /etc/os-release && printf 'os\\t%s\\t%s\\n' "$ID" "$VERSION_ID"
dpkg-query -W -f '\${db:Status-Status}\\t\${Package}\\t\${Version}\\t\${Architecture}\\n'
! command -v node >/dev/null || printf 'node\\t%s\\n' "$(node -p process.versions.node)"
manifests() { kind=$1; shift; find / -xdev "$@" | while read -r file; do printf '%s\\t%s\\t' "$kind" "$file"; tr '\\n\\r\\t' '   ' <"$file"; echo; done; }
manifests bundle -path '*/bundle/packages.json'
manifests module -path '*/node_modules/*' -name package.json
`;

/** Matches a package's own manifest, but not one of a folder inside it. */
const OF_PACKAGE = /\/node_modules\/(@[^/]+\/)?[^/]+\/package\.json$/;

/** @param about the image (as named by the user), its ID, its architecture, and the version of aish */
export function bomOf(list, { image, id, architecture, version }) {
  const lines = list
    .split('\n')
    .toSorted()
    .map((line) => line.split('\t'));
  const of = (kind) => lines.filter(([first]) => first === kind).map(([, ...rest]) => rest);
  const [[osName, osVersion]] = of('os');
  const distro = `${osName}-${osVersion}`;
  return dated({
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      tools: { components: [{ type: 'application', name: 'aish', version }] },
      component: {
        type: 'container',
        'bom-ref': id,
        name: image,
        version: id,
        properties: [{ name: 'architecture', value: architecture }],
      },
    },
    components: [
      { type: 'operating-system', 'bom-ref': distro, name: osName, version: osVersion },
      ...of('node').map(([nodeVersion]) => nodeOf(nodeVersion)),
      ...of('installed').map(([name, debVersion, arch]) => debOf(name, debVersion, { os: osName, distro, arch })),
      ...npmPackages(of('bundle'), of('module')),
    ],
  });
}

/**
 * Gives a document its date and serial number. If SOURCE_DATE_EPOCH is set, both depend only on it and the content, so
 * that the same release has the same document.
 */
export function dated({ serialNumber: _, ...bom }, epoch = process.env.SOURCE_DATE_EPOCH) {
  const timestamp = (epoch === undefined ? new Date() : new Date(Number(epoch) * 1_000)).toISOString();
  const whole = { ...bom, metadata: { ...bom.metadata, timestamp } };
  const hex = createHash('sha256').update(JSON.stringify(whole)).digest('hex');
  // Version 8 of UUIDs has free content.
  const ofContent = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
  return { serialNumber: `urn:uuid:${epoch === undefined ? randomUUID() : ofContent}`, ...whole };
}

function nodeOf(version) {
  const purl = `pkg:generic/node@${version}`;
  // Advisories use this name.
  const cpe = `cpe:2.3:a:nodejs:node.js:${version}:*:*:*:*:*:*:*`;
  return { type: 'platform', 'bom-ref': purl, name: 'node', version, cpe, purl };
}

function debOf(name, version, { os, distro, arch }) {
  const purl = `pkg:deb/${os}/${encodeURIComponent(name)}@${encodeURIComponent(version)}?arch=${arch}&distro=${distro}`;
  return { type: 'library', 'bom-ref': purl, name, version, purl };
}

/** Returns each version of a package once, with all its locations. */
function npmPackages(bundles, modules) {
  const found = new Map();
  const add = ({ name, version, license }, location) => {
    if (name === undefined || version === undefined) return;
    const purl = `pkg:npm/${name.replace('@', '%40')}@${encodeURIComponent(version)}`;
    const known = found.get(purl) ?? { name, version, license, locations: new Set() };
    found.set(purl, { ...known, locations: known.locations.add(location) });
  };
  for (const [file, text] of bundles)
    for (const each of JSON.parse(text)) add(each, file.replace(/\/packages\.json$/, ''));
  for (const [file, text] of modules) {
    if (OF_PACKAGE.test(file)) add(JSON.parse(text), file.replace(/\/package\.json$/, ''));
  }
  return [...found].map(([purl, { name, version, license, locations }]) => ({
    type: 'library',
    'bom-ref': purl,
    name,
    version,
    ...(typeof license === 'string' ? { licenses: [licenceOf(license)] } : {}),
    purl,
    evidence: { occurrences: [...locations].map((location) => ({ location })) },
  }));
}

/** Returns an SPDX expression, or another text that the package gives. */
function licenceOf(text) {
  return /^[\w.+() -]+$/.test(text) && !/^(SEE|UNLICENSED)/.test(text)
    ? { expression: text }
    : { license: { name: text } };
}
