import { describe } from 'vitest'
import { engineSuite } from './engine-suite.ts'
import { onPostgres } from './engines.ts'

describe.each(onPostgres)('an engine ($name)', engineSuite)
