import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeMemoryFolder, remove } from './memory-folder.ts'
import { serverIn } from './postgres/server.ts'

/**
 * Builds what is older than its sources, since tests start it; puts temporary files of the tests
 * into memory where it can; and makes a folder for the one PostgreSQL of this run of tests, which
 * is started only when a test asks for it.
 */
export function setup(): (() => Promise<void>) | undefined {
  // Each project of a run calls it.
  if (process.env.DRYDOCK_TEST_POSTGRES !== undefined) return undefined
  // With NODE_ENV the dashboard would hold what React has for its development.
  const { NODE_ENV: _, ...env } = process.env
  execFileSync('sh', [join(import.meta.dirname, '../scripts/setup.sh'), 'clone'], { stdio: 'inherit', env })
  process.env.DRYDOCK_TEST_BUILT = 'yes'
  const memory = makeMemoryFolder()
  if (memory !== null) process.env.TMPDIR = memory
  const folder = mkdtempSync(join(tmpdir(), 'drydock-test-postgres-'))
  chmodSync(folder, 0o755)
  process.env.DRYDOCK_TEST_POSTGRES = folder
  return async () => {
    if (existsSync(join(folder, 'server'))) await serverIn(join(folder, 'server'), 0).stop('SIGQUIT')
    remove(memory ?? folder)
  }
}
