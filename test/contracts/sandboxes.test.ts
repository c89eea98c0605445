import { describe } from 'vitest'
import { programSuite } from './sandbox-program-suite.ts'
import { servicesSuite } from './sandbox-services-suite.ts'
import { sandboxSuite } from './sandbox-suite.ts'
import { bubblewrap } from './sandboxes.ts'

describe('bubblewrap', () => sandboxSuite(bubblewrap))
describe('a program that continues in bubblewrap', () => programSuite(bubblewrap))
describe('bubblewrap starts services', () => servicesSuite(bubblewrap))
