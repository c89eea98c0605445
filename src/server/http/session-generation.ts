import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeWhole, writeWhole } from '../../files/write-whole.ts'

const fileOf = (installation: string) => join(installation, 'dashboard-generation')

/**
 * A value that all sessions and links of an installation contain until they are ended. Not secret.
 * It is read for each request, since any process may end them. Empty if its file is missing, in
 * which case no session is valid.
 */
export async function sessionGeneration(installation: string): Promise<string> {
  return readFile(fileOf(installation), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return ''
    throw error
  })
}

/** Creates the first generation; an existing one stays. */
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
