import { describe } from 'vitest'
import { programSuite } from './sandbox-program-suite.ts'
import { servicesSuite } from './sandbox-services-suite.ts'
import { sandboxSuite } from './sandbox-suite.ts'
import { inPodman } from './sandboxes.ts'

describe('podman', () => sandboxSuite(inPodman))
describe('a program that continues in podman', () => programSuite(inPodman))
describe('podman starts services', () => servicesSuite(inPodman))
