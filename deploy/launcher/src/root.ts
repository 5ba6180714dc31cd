import { fileURLToPath } from 'node:url';

/** The folder of this version. In an image, the launcher is a bundle, which is one folder deeper than the modules. */
export const ROOT = new URL(import.meta.url.includes('/dist/bundle/') ? '../../../../' : '../../../', import.meta.url);

/** The path of that folder. */
export const VERSION_FOLDER = fileURLToPath(ROOT);
