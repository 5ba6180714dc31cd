export { recordedScript, type RecordedAnswers } from './recorded.script.js';
export { demoScript } from './demo.script.js';
export type { Reply } from './reply.js';
export {
  startScriptedModel,
  type RecordedRequest,
  type Script,
  type ScriptedModel,
  type ScriptedModelOptions,
} from './scripted.model.js';
export { startScriptedEmbeddings, type ScriptedEmbeddings } from './scripted-embeddings.js';
