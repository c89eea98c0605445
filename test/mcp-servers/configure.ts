import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Fixture } from '../scenarios/world/fixture.ts'
import { configureUser } from '../scenarios/world/hook.ts'

/** A secret value, in parts so that no text of this repository has its shape. */
export const secret = ['a-value', 'of-the-docs', '5f0c1e77a2'].join('-')

interface Entry {
  readonly [key: string]: unknown
}

/** Changes the server from now on; '' restores it. */
export async function change({ folder }: Fixture, to: string): Promise<void> {
  await writeFile(join(folder, 'changes'), to)
}

/** The user's file names these tests' server `docs`. */
export async function configureDocs(fixture: Fixture, entry: Entry = {}, more: object = {}): Promise<void> {
  const changes = join(fixture.folder, 'changes')
  await change(fixture, '')
  const command = [process.execPath, join(import.meta.dirname, 'mcp-server.ts'), changes]
  const docs = { command, roles: ['editor'], read_only_paths: [import.meta.dirname, changes], ...entry }
  await configureUser(fixture, { mcp: { docs }, ...more })
}

/** Approves the server's present tools. */
export async function approve({ drydock }: Pick<Fixture, 'drydock'>, server = 'docs'): Promise<string> {
  const shown = await drydock('mcp-servers', 'approve', server, '--json')
  const hash = String(shown.events[0]?.hash)
  const done = await drydock('mcp-servers', 'approve', server, hash, '--json')
  if (done.exitCode !== 0) throw new Error(shown.stderr + done.stderr)
  return hash
}
