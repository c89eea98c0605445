import { describe } from 'vitest'
import { engineSuite } from './engine-suite.ts'
import { embedded } from './engines.ts'

describe.each(embedded)('an engine ($name)', engineSuite)
