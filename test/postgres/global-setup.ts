import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serverIn } from './server.ts'

/** A folder for the one server of this run of tests, which is made only when a test asks for it. */
export function setup(): () => Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'drydock-test-postgres-'))
  chmodSync(folder, 0o755)
  process.env.DRYDOCK_TEST_POSTGRES = folder
  return async () => {
    if (existsSync(join(folder, 'server'))) await serverIn(join(folder, 'server'), 0).stop('SIGQUIT')
    rmSync(folder, { recursive: true, force: true })
  }
}
