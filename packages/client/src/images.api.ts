import { Image, ImageList, type ImageRecipe } from '@aish/contracts/images';
import type { Transport } from './transport.js';

const at = (name: string) => `/v1/images/${encodeURIComponent(name)}`;

export function listImages(transport: Transport, signal?: AbortSignal): Promise<ImageList> {
  return transport.json(ImageList, { path: '/v1/images' }, signal);
}

export function showImage(transport: Transport, name: string, signal?: AbortSignal): Promise<Image> {
  return transport.json(Image, { path: at(name) }, signal);
}

export function setImage(transport: Transport, name: string, body: ImageRecipe, signal?: AbortSignal): Promise<Image> {
  return transport.json(Image, { method: 'PUT', path: at(name), body }, signal);
}

export function rebuildImage(transport: Transport, name: string, signal?: AbortSignal): Promise<Image> {
  return transport.json(Image, { method: 'POST', path: `${at(name)}/rebuild` }, signal);
}

export function removeImage(transport: Transport, name: string, signal?: AbortSignal): Promise<Image> {
  return transport.json(Image, { method: 'DELETE', path: at(name) }, signal);
}
