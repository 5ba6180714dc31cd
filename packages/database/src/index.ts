export {
  connectDatabase,
  inTransaction,
  type ConnectOptions,
  type Database,
  type TransactionOptions,
  type Tx,
} from './client.js';
