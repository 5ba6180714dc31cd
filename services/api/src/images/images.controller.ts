import { imagesApi } from '@aish/contracts/endpoints/access';
import { Serve, type Call } from '../http/serve.js';
import { Controller } from '@nestjs/common';
import { ImagesService } from './images.service.js';

@Controller()
export class ImagesController {
  constructor(private readonly images: ImagesService) {}

  @Serve(imagesApi.list)
  async list() {
    return { items: await this.images.list() };
  }

  @Serve(imagesApi.show)
  show({ params: { name } }: Call<typeof imagesApi.show>) {
    return this.images.find(name);
  }

  @Serve(imagesApi.set)
  set({ token, params: { name }, body: recipe }: Call<typeof imagesApi.set>) {
    return this.images.set(token.name, name, recipe);
  }

  @Serve(imagesApi.rebuild)
  rebuild({ token, params: { name } }: Call<typeof imagesApi.rebuild>) {
    return this.images.rebuild(token.name, name);
  }

  @Serve(imagesApi.remove)
  remove({ token, params: { name } }: Call<typeof imagesApi.remove>) {
    return this.images.remove(token.name, name);
  }
}
