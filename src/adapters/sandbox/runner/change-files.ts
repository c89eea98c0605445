import { rmSync, statSync, unlinkSync } from 'node:fs'
import type { FileChange, RunnerReplies } from '../../../ports/sandbox.ts'
import { draftFile, expectBefore, fileOrLink, place } from './files.ts'
import { entryInside } from './paths.ts'
import type { Request } from './protocol.ts'
import { Refusal, refusalOf } from './refusal.ts'

/**
 * Changes several files: first checks all, then writes all drafts, and only then moves them into
 * place. Files are deleted last, so that an interruption loses nothing that is still to be written.
 */
export async function changeFiles(
  root: string,
  { files }: Request<'change'>,
  signal: AbortSignal,
): Promise<RunnerReplies['change']> {
  for (const file of files) await told(file, () => expectBefore(root, file, signal))
  const gone = files.filter(({ base64 }) => base64 === null).map((file) => ({ file, entry: '' }))
  for (const each of gone) each.entry = await told(each.file, () => fileOrLink(root, each.file.path))
  const drafts: { readonly file: FileChange; readonly temporary: string; readonly target: string }[] = []
  try {
    for (const file of files) {
      const { base64, path, modeOf } = file
      if (base64 === null) continue
      const mode = modeOf === undefined ? undefined : statSync(entryInside(root, modeOf, { makeFolders: false })).mode
      const content = Buffer.from(base64, 'base64')
      drafts.push({ file, ...(await told(file, () => draftFile(root, path, { content, mode }))) })
    }
    signal.throwIfAborted()
  } catch (error) {
    for (const { temporary } of drafts) rmSync(temporary, { force: true })
    throw error
  }
  for (const { file, temporary, target } of drafts) await told(file, () => place(temporary, target))
  for (const { file, entry } of gone) await told(file, () => unlinkSync(entry))
  return {}
}

/** Adds the file's path to a refusal. */
async function told<T>({ path }: FileChange, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const { code, message } = refusalOf(error)
    throw new Refusal(code, message.includes(path) ? message : `${path}: ${message}`)
  }
}
