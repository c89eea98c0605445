import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { workerProtocol } from '../../src/domain/worker/shared-state.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/**
 * This Drydock as another version, which may speak another worker protocol. Returns the path of its
 * program.
 */
export async function otherVersion(version: string, protocol = workerProtocol): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'drydock-version-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  for (const name of ['bin', 'src']) await cp(join(root, name), join(folder, name), { recursive: true })
  for (const name of ['node_modules', 'dist', 'package-lock.json']) await symlink(join(root, name), join(folder, name))
  const described = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  await writeFile(join(folder, 'package.json'), JSON.stringify({ ...described, version }))
  const file = join(folder, 'src/domain/worker/shared-state.ts')
  const said = `workerProtocol = ${workerProtocol}`
  await writeFile(file, (await readFile(file, 'utf8')).replace(said, `workerProtocol = ${protocol}`))
  return join(folder, 'bin/drydock')
}
