import { describe } from 'vitest'
import { chatSuite } from './store-chat-suite.ts'
import { historySuite } from './store-history-suite.ts'
import { hubSuite } from './store-hub-suite.ts'
import { lostSuite } from './store-lost-suite.ts'
import { spendingSuite } from './store-spending-suite.ts'
import { storeSuite } from './store-suite.ts'
import { writersSuite } from './store-writers-suite.ts'
import { postgres } from './stores.ts'

describe('the postgres store', () => storeSuite(postgres))
describe('the chat in the postgres store', () => chatSuite(postgres))
describe('the history of the postgres store', () => historySuite(postgres))
describe('the tokens of a hub in the postgres store', () => hubSuite(postgres))
describe('spending in the postgres store', () => spendingSuite(postgres))
describe('the postgres store', () => writersSuite(postgres))
describe('transactions that the postgres store loses', () => lostSuite(postgres))
