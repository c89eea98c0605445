import { describe } from 'vitest'
import { chatSuite } from './store-chat-suite.ts'
import { historySuite } from './store-history-suite.ts'
import { hubSuite } from './store-hub-suite.ts'
import { lostSuite } from './store-lost-suite.ts'
import { spendingSuite } from './store-spending-suite.ts'
import { storeSuite } from './store-suite.ts'
import { writersSuite } from './store-writers-suite.ts'
import { memory, sqlite, stores } from './stores.ts'

describe.each(stores)('the $name store', storeSuite)
describe.each(stores)('the chat in the $name store', chatSuite)
describe.each(stores)('the history of the $name store', historySuite)
describe.each(stores)('the tokens of a hub in the $name store', hubSuite)
describe.each(stores)('spending in the $name store', spendingSuite)
describe('the sqlite store', () => writersSuite(sqlite))
describe('transactions that the memory store loses', () => lostSuite(memory))
