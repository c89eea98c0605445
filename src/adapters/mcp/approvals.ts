import { createHash } from 'node:crypto'
import { mkdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { McpDefinition } from '../../domain/mcp/definition.ts'
import type { McpServerSettings } from '../../domain/mcp/server-settings.ts'
import { writeWhole } from '../../files/write-whole.ts'
import { hashOf } from './definitions-hash.ts'

/** The user's approval of a server. */
export interface ApprovalRecord {
  readonly hash: string
  readonly at: string
  /** Stands for the command or URL that was approved. */
  readonly target: string
  readonly definitions: readonly McpDefinition[]
  /** Hash of other definitions that the server had later. */
  readonly found: string | null
}

/** One file per server, in a folder that is never mounted in a sandbox. */
export function createApprovals(folder: string) {
  const fileOf = (server: string) => join(folder, `${server}.json`)

  async function write(server: string, approved: ApprovalRecord): Promise<void> {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await writeWhole(fileOf(server), `${JSON.stringify(approved)}\n`, { mode: 0o600, onDisk: true })
  }

  /** Also null for a damaged file, which then approves nothing. */
  async function read(server: string): Promise<ApprovalRecord | null> {
    const text = await readFile(fileOf(server), 'utf8').catch(() => null)
    if (text === null) return null
    try {
      const approved = JSON.parse(text) as ApprovalRecord
      return hashOf(approved.definitions) === approved.hash ? approved : null
    } catch {
      return null
    }
  }

  return {
    write,
    read,
    async remove(server: string): Promise<boolean> {
      const isThere = (await readFile(fileOf(server)).catch(() => null)) !== null
      await rm(fileOf(server), { force: true })
      return isThere
    },
  }
}

export function targetOf({ command, url }: Pick<McpServerSettings, 'command' | 'url'>): string {
  return createHash('sha256')
    .update(JSON.stringify([command, url]))
    .digest('hex')
}
