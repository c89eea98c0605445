import { readFileSync, statSync } from 'node:fs'
import { extname, join } from 'node:path'

/** Both `src/processes/` and the bundle in `dist/chunks/` lie two folders below the root. */
const root = join(import.meta.dirname, '..', '..')

/** The sources of a checkout, which Node runs as they are, or the bundle that is made of them. */
const isBundle = extname(import.meta.filename) === '.cjs'

/** Absolute path of a file or folder that the package ships, named from its root. */
export function shipped(path: string): string {
  return join(root, path)
}

/**
 * The scripts that Node runs in processes of their own. It takes three times as long to start one
 * from its sources, so a checkout's tests, which build first, have them built.
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

/** Of this package. */
export function version(): string {
  return (JSON.parse(readFileSync(shipped('package.json'), 'utf8')) as { version: string }).version
}

/** Changes with each build of this package, and with each change of a checkout's packages. */
export function edition(): string {
  const made = statSync(isBundle ? scripts.program : shipped('package-lock.json'))
  return `${version()} ${made.mtimeMs} ${made.size}`
}
