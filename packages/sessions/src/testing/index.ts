export {
  changes,
  decisionOf,
  digestOf,
  readExplained,
  readRecordings,
  replay,
  type Recording,
  type RecordedEvent,
} from './recording.js';
export { differences, settleRecordings, type Difference } from './settle-recordings.js';
