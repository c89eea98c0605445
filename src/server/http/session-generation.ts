import { randomBytes, randomUUID } from 'node:crypto'
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

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
  await place(installation, (made, file) =>
    link(made, file).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    }),
  )
}

/** Ends every session and every link of all dashboards of an installation. */
export async function renewGeneration(installation: string): Promise<void> {
  await place(installation, rename)
}

/** Nobody reads half of it. */
async function place(installation: string, put: (made: string, file: string) => Promise<void>): Promise<void> {
  const made = join(installation, `.dashboard-generation-${randomUUID()}`)
  try {
    await writeFile(made, randomBytes(16).toString('base64url'), { flag: 'wx', mode: 0o600 })
    await put(made, fileOf(installation))
  } finally {
    await rm(made, { force: true })
  }
}
