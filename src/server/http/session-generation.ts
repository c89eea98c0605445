import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeWhole, writeWhole } from '../../files/write-whole.ts'

const fileOf = (installation: string) => join(installation, 'dashboard-generation')

/**
 * What all sessions and links of an installation have in common until they are ended. It is no
 * secret, and is read for each request, since any process may end them. Without its file it is
 * empty, of which there is no session.
 */
export async function sessionGeneration(installation: string): Promise<string> {
  return readFile(fileOf(installation), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return ''
    throw error
  })
}

/** Makes the first one; one that is there stays. */
export async function ensureGeneration(installation: string): Promise<void> {
  await makeWhole(fileOf(installation), fresh(), { mode: 0o600 })
}

/** Ends every session and every link of all dashboards of an installation. */
export async function renewGeneration(installation: string): Promise<void> {
  await writeWhole(fileOf(installation), fresh(), { mode: 0o600 })
}

function fresh(): string {
  return randomBytes(16).toString('base64url')
}
