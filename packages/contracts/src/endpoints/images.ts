import { endpoint } from '../endpoint.js';
import { Image, ImageList, ImageName, ImageRecipe } from '../images.js';

export const imagesApi = {
  list: endpoint('GET /v1/images', {
    scope: 'observe',
    summary: 'The images that spaces may run their commands in, and how their builds are',
    answer: ImageList,
  }),
  show: endpoint('GET /v1/images/:name', {
    scope: 'observe',
    summary: 'One image, and how its build is',
    params: { name: ImageName },
    answer: Image,
  }),
  set: endpoint('PUT /v1/images/:name', {
    scope: 'admin',
    summary: 'Say what is in an image, and begin to build it; what was built before is used until then',
    params: { name: ImageName },
    body: ImageRecipe,
    answer: Image,
  }),
  rebuild: endpoint('POST /v1/images/:name/rebuild', {
    scope: 'admin',
    summary: 'Build an image again, with the newest packages, for what is begun afterwards',
    params: { name: ImageName },
    answer: Image,
  }),
  remove: endpoint('DELETE /v1/images/:name', {
    scope: 'admin',
    summary: 'Remove an image that no space uses',
    params: { name: ImageName },
    answer: Image,
  }),
};
