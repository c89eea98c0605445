import { readFileSync, statSync } from 'node:fs'
import { extname, join } from 'node:path'

/** Both `src/processes/` and the bundle in `dist/chunks/` are two folders below the root. */
const root = join(import.meta.dirname, '..', '..')

/** True in the bundle, and false in a checkout, whose sources Node runs directly. */
const isBundle = extname(import.meta.filename) === '.cjs'

/** Absolute path of a file or folder of the package, given relative to its root. */
export function shipped(path: string): string {
  return join(root, path)
}

/**
 * Scripts that Node runs in separate processes. Starting one from its sources takes three times as
 * long, so the tests of a checkout build them first.
 */
export const scripts =
  isBundle || process.env.DRYDOCK_TEST_BUILT
    ? {
        program: shipped('dist/program/main.js'),
        runner: shipped('dist/runner/main.js'),
        forwarder: shipped('dist/forwarder/forwarder.js'),
        bridge: shipped('dist/bridge/bridge.js'),
        services: shipped('dist/services/main.js'),
      }
    : {
        program: shipped('src/cli/main.ts'),
        runner: shipped('src/adapters/sandbox/runner/main.ts'),
        forwarder: shipped('src/adapters/sandbox/egress/inside/forwarder.ts'),
        bridge: shipped('src/adapters/acp/inside/bridge.ts'),
        services: shipped('src/adapters/sandbox/step-services/inside/main.ts'),
      }

/** The version of this package. */
export function version(): string {
  return (JSON.parse(readFileSync(shipped('package.json'), 'utf8')) as { version: string }).version
}

/**
 * Changes with each build of this package, and in a checkout with each change of its dependencies.
 */
export function edition(): string {
  const made = statSync(isBundle ? scripts.program : shipped('package-lock.json'))
  return `${version()} ${made.mtimeMs} ${made.size}`
}
