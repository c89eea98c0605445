import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeMemoryFolder, remove } from './memory-folder.ts'
import { serverIn } from './postgres/server.ts'

/**
 * Builds programs that are older than their sources, since tests start them; puts temporary files
 * of the tests into memory if possible; and creates a folder for the PostgreSQL of this test run,
 * which starts only when a test needs it.
 */
export function setup(): (() => Promise<void>) | undefined {
  // Each project of a run calls this function.
  if (process.env.DRYDOCK_TEST_POSTGRES !== undefined) return undefined
  // With NODE_ENV the dashboard would contain React's development build.
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
