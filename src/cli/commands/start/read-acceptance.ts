import { lstat, readdir, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { usage } from '../../../app/usage.ts'
import {
  type AcceptanceFile,
  type AcceptanceTests,
  acceptanceProblem,
} from '../../../domain/acceptance/acceptance-tests.ts'
import { limits } from '../../../domain/limits.ts'

/**
 * The files of a folder, by their future paths in the repository. The folder may be anywhere; links
 * are not followed. Throws DrydockError `bad_usage`.
 */
export async function readAcceptance(folder: string): Promise<AcceptanceTests> {
  const top = resolve(folder)
  const stats = await lstat(top).catch(() => null)
  if (!stats?.isDirectory()) throw unusable(folder, stats === null ? 'there is no such folder' : 'it is no folder')
  const files = await filesBelow(folder, top, '')
  const tests = { files }
  const problem = acceptanceProblem(tests)
  if (problem !== null) throw unusable(folder, problem)
  return tests
}

async function filesBelow(named: string, top: string, at: string): Promise<readonly AcceptanceFile[]> {
  const found: AcceptanceFile[] = []
  for (const entry of await readdir(join(top, at), { withFileTypes: true })) {
    const path = at === '' ? entry.name : `${at}/${entry.name}`
    if (entry.isDirectory()) found.push(...(await filesBelow(named, top, path)))
    else if (!entry.isFile()) throw unusable(named, `${path} is no regular file`)
    else {
      const { size } = await lstat(join(top, path))
      if (size > limits.acceptance.bytes) throw unusable(named, `${path} is too large`)
      found.push({ path, content: (await readFile(join(top, path))).toString('base64') })
    }
    if (found.length > limits.acceptance.files) break
  }
  return found
}

function unusable(folder: string, problem: string) {
  return usage(
    `The acceptance tests in ${folder} cannot be used: ${problem}.`,
    'Name a folder whose files lie as they would in the repository, such as acceptance/test/login.test.js.',
  )
}
