import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { PinnedAgent } from './pinned-agents.ts'

/** Not below the project, since an agent would then see the project's packages next to its own. */
export const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'drydock', 'tried-agents')

/** The folder of the agent's programs. An installation is kept for later runs. */
export async function installPinned({ name, packages }: PinnedAgent): Promise<string> {
  const specs = Object.entries(packages).map(([each, version]) => `${each}@${version}`)
  const folder = join(cache, `${name}-${Object.values(packages).join('-')}`)
  const bin = join(folder, 'node_modules', '.bin')
  if (existsSync(folder)) return bin
  const begun = `${folder}.begun-${process.pid}`
  await rm(begun, { recursive: true, force: true })
  await mkdir(begun, { recursive: true })
  await writeFile(join(begun, 'package.json'), JSON.stringify({ private: true }))
  // Within an npm script npm would use that script's folder as its own.
  const options = ['--prefix', begun, '--no-audit', '--no-fund', '--loglevel=error']
  await promisify(execFile)('npm', ['install', ...options, ...specs], { cwd: begun, maxBuffer: 1e8 })
  await rename(begun, folder)
  return bin
}
