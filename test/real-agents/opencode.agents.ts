import { tryPinned } from './try-pinned.ts'

tryPinned('opencode')
