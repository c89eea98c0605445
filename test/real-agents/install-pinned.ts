import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { PinnedAgent } from './pinned-agents.ts'

const cache = fileURLToPath(new URL('../../node_modules/.cache/agents', import.meta.url))

/** The folder of its programs. What was installed once is kept. */
export async function installPinned({ name, packages }: PinnedAgent): Promise<string> {
  const specs = Object.entries(packages).map(([each, version]) => `${each}@${version}`)
  const folder = join(cache, `${name}-${Object.values(packages).join('-')}`)
  const bin = join(folder, 'node_modules', '.bin')
  if (existsSync(folder)) return bin
  const begun = `${folder}.begun-${process.pid}`
  await rm(begun, { recursive: true, force: true })
  await mkdir(begun, { recursive: true })
  await writeFile(join(begun, 'package.json'), JSON.stringify({ private: true }))
  await promisify(execFile)('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', ...specs], {
    cwd: begun,
    maxBuffer: 1e8,
  })
  await rename(begun, folder)
  return bin
}
