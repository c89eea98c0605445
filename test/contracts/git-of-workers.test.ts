import { asWorkers } from './made-world.ts'

// The same contracts as on one machine.
asWorkers()
await import('./history.test.ts')
await import('./history-tree-with.test.ts')
await import('./work-trees.test.ts')
