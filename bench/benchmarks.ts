/**
 * A benchmark. `target` is the limit of a good value; a benchmark without one only serves for
 * comparison.
 */
export interface Benchmark {
  readonly unit:
    | 'ms'
    | 'MiB'
    | 'tokens'
    | '%'
    | 'per second'
    | 'times'
    | 'calls'
    | 'processes'
    | 'fsyncs'
    | 'kB'
    | 'of 1'
  readonly target?: { readonly below: number } | { readonly above: number } | { readonly exactly: number }
  /** The benchmark of the same work in the bare loop. */
  readonly bare?: string
  /**
   * False for a benchmark that another one already compares, or that only serves for comparison.
   */
  readonly compared?: false
  /** A program that the measurement needs. */
  readonly needs?: 'strace' | 'pytest' | 'vitest' | 'fastify'
}

const below = (number: number) => ({ below: number })
const yardstick = { unit: 'ms', compared: false } as const
const ratio = { unit: 'times', compared: false } as const
const counted = (unit: 'processes' | 'fsyncs') => ({ unit, needs: 'strace' }) as const
const above = (number: number) => ({ above: number })

/** Every benchmark by its name, in the order of the table. */
export const benchmarks = {
  'turn with a read': { unit: 'ms', target: below(12), bare: 'bare loop, turn with a read' },
  'turn with a command': { unit: 'ms', target: below(20), bare: 'bare loop, turn with a command' },
  'bare loop, turn with a read': yardstick,
  'bare loop, turn with a command': yardstick,
  'read, times the bare loop': ratio,
  'command, times the bare loop': ratio,
  'floor, turn with a read': yardstick,
  'floor, turn with a command': yardstick,
  'read, times the floor': ratio,
  'command, times the floor': ratio,
  'memory of a 30-turn task': { unit: 'MiB', target: below(150) },
  'turn 30 of a long task': { unit: 'ms', bare: 'bare loop, turn 30 of a long task' },
  'bare loop, turn 30 of a long task': yardstick,
  'turn 30, times the bare loop': ratio,
  'turn 100 of a long task': { unit: 'ms', bare: 'bare loop, turn 100 of a long task' },
  'bare loop, turn 100 of a long task': yardstick,
  'turn 100, times the bare loop': ratio,
  'turn 300 of a long task': { unit: 'ms', bare: 'bare loop, turn 300 of a long task' },
  'bare loop, turn 300 of a long task': yardstick,
  'turn 300, times the bare loop': ratio,
  'child processes up to the first request': counted('processes'),
  'child processes of a turn with a read': counted('processes'),
  'child processes of a turn with a command': counted('processes'),
  'fsyncs of a turn with a read': counted('fsyncs'),
  'fsyncs of a turn with a command': counted('fsyncs'),
  'drydock --version': { unit: 'ms', target: below(150), bare: 'bare loop, first model request' },
  'bare loop, first model request': yardstick,
  'floor, first model request': yardstick,
  'first model request': { unit: 'ms', target: below(500), bare: 'bare loop, first model request' },
  'first request, times the floor': ratio,
  'first model request, with a server': { unit: 'ms', target: below(100), bare: 'bare loop, first model request' },
  'first model request, first start ever': { unit: 'ms', bare: 'bare loop, first model request' },
  'first model request, 5,000 files': { unit: 'ms', bare: 'bare loop, first model request' },
  'first request of planning': { unit: 'tokens', target: below(3_000) },
  'first request of coding': { unit: 'tokens', target: below(3_000) },
  'requests that begin with the one before': { unit: '%', target: { exactly: 100 } },
  'of a request, what the one before held': { unit: '%' },
  'slot made ready, first time': { unit: 'ms', target: below(4_000) },
  'slot made ready, again': { unit: 'ms', target: below(1_000) },
  'files equal to a fresh clone': { unit: '%', target: { exactly: 100 } },
  'verification over the bare command': { unit: 'ms', target: below(100) },
  'submitted change to verdict, over the bare command': { unit: 'ms' },
  'fast assurance, node:test, new base': { unit: 'times', target: below(1.3) },
  'fast assurance, node:test, next change': { unit: 'times', target: below(1.2) },
  'standard assurance, node:test, new base': { unit: 'times', target: below(2.1) },
  'standard assurance, node:test, next change': { unit: 'times', target: below(1.6) },
  'full assurance, node:test, new base': { unit: 'times', target: below(2.3) },
  'full assurance, node:test, next change': { unit: 'times', target: below(1.8) },
  'full assurance, node:test, new base, processor time': { unit: 'times', target: below(3.3) },
  'full assurance, node:test, next change, processor time': { unit: 'times' },
  'fast assurance, vitest, new base': { unit: 'times', target: below(1.3), needs: 'vitest' },
  'fast assurance, vitest, next change': { unit: 'times', target: below(1.2), needs: 'vitest' },
  'standard assurance, vitest, new base': { unit: 'times', target: below(2.1), needs: 'vitest' },
  'standard assurance, vitest, next change': { unit: 'times', target: below(1.6), needs: 'vitest' },
  'full assurance, vitest, new base': { unit: 'times', target: below(2.5), needs: 'vitest' },
  'full assurance, vitest, next change': { unit: 'times', target: below(2.2), needs: 'vitest' },
  'full assurance, vitest, new base, processor time': { unit: 'times', target: below(3.3), needs: 'vitest' },
  'full assurance, vitest, next change, processor time': { unit: 'times', needs: 'vitest' },
  'fast assurance, pytest, new base': { unit: 'times', target: below(1.3), needs: 'pytest' },
  'fast assurance, pytest, next change': { unit: 'times', target: below(1.2), needs: 'pytest' },
  'standard assurance, pytest, new base': { unit: 'times', target: below(2.1), needs: 'pytest' },
  'standard assurance, pytest, next change': { unit: 'times', target: below(1.6), needs: 'pytest' },
  'full assurance, pytest, new base': { unit: 'times', target: below(2.5), needs: 'pytest' },
  'full assurance, pytest, next change': { unit: 'times', target: below(2.2), needs: 'pytest' },
  'full assurance, pytest, new base, processor time': { unit: 'times', target: below(3.3), needs: 'pytest' },
  'full assurance, pytest, next change, processor time': { unit: 'times', needs: 'pytest' },
  'full assurance, fastify, new base': { unit: 'times', target: below(2.3), needs: 'fastify' },
  'full assurance, fastify, next change': { unit: 'times', target: below(1.8), needs: 'fastify' },
  'read_file, p99': { unit: 'ms', target: below(50) },
  'list_files, p99': { unit: 'ms', target: below(50) },
  'search_files, p99': { unit: 'ms', target: below(50) },
  'get_diff, p99': { unit: 'ms', target: below(50) },
  'list_files by ripgrep alone, p99': { unit: 'ms' },
  'search_files by ripgrep alone, p99': { unit: 'ms' },
  'get_diff by git alone, p99': { unit: 'ms' },
  'review, read_file, p99': { unit: 'ms', target: below(50) },
  'review, list_files, p99': { unit: 'ms', target: below(50) },
  'review, search_files, p99': { unit: 'ms', target: below(50) },
  'of a commit, read_file, p99': { unit: 'ms', target: below(500) },
  'of a commit, list_files, p99': { unit: 'ms', target: below(500) },
  'of a commit, search_files, p99': { unit: 'ms', target: below(500) },
  'review, get_diff, p99': { unit: 'ms', target: below(500) },
  'of a commit, read_file by the git of the machine, p99': { unit: 'ms' },
  'of a commit, list_files by the git of the machine, p99': { unit: 'ms' },
  'of a commit, search_files by the git of the machine, p99': { unit: 'ms' },
  'review, get_diff by the git of the machine, p99': { unit: 'ms' },
  'ready story to its first model call': { unit: 'ms', target: below(1_000) },
  'a whole story over its verifications': { unit: 'ms', target: below(3_000) },
  '64 editors, slowest story': { unit: 'times', target: below(3) },
  '64 editors, memory': { unit: 'MiB', target: below(600) },
  '64 editors, event loop, p99': { unit: 'ms', target: below(50) },
  '16 lanes, calls over their budget': { unit: 'calls', target: { exactly: 0 } },
  'events appended': { unit: 'per second', target: above(1_000) },
  'machines committed': { unit: 'per second', target: above(1_000) },
  'steps of the engine': { unit: 'per second' },
  'bare write and fdatasync': { unit: 'per second' },
  'resume after kill -9, 10,000 events': { unit: 'ms', target: below(1_000) },
  'dashboard, commit to screen': { unit: 'ms', target: below(150) },
  'dashboard, first paint': { unit: 'ms', target: below(1_000) },
  'dashboard, first load of the board': { unit: 'kB', target: below(200) },
  'dashboard, heap of the fullest page': { unit: 'MiB', target: below(60) },
  'dashboard, layout shift of a live run': { unit: 'of 1', target: below(0.1) },
  '60 stories, commit to screen, p95': { unit: 'ms', target: below(100) },
  '60 stories and 20 tabs, commit to screen, p95': { unit: 'ms', target: below(100) },
  '20 tabs, the slowest one to come to the front': { unit: 'ms' },
  'diff of 20,000 lines, from click to screen': { unit: 'ms', target: below(300) },
  'diff of 20,000 lines, longest task of its updates': { unit: 'ms', target: below(50) },
  'diff of 20,000 lines, heap': { unit: 'MiB', target: below(60) },
} as const satisfies Readonly<Record<string, Benchmark>>

export type BenchmarkName = keyof typeof benchmarks

/** The results of a group of benchmarks, by name; null if a required program is missing. */
export type GroupFigures = Partial<Record<BenchmarkName, number | null>>
