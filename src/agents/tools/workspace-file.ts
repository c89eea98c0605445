import { limits } from '../../domain/limits.ts'
import { isSecretFile } from '../../domain/secrets/secret-files.ts'
import { sentence } from '../../domain/sentence.ts'
import { type ReadContext, refuse, type ToolOutcome } from './tool.ts'

export type TextFile =
  | { readonly ok: true; readonly text: string; readonly sha256: string }
  | { readonly ok: false; readonly outcome: ToolOutcome }

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Reads a text file unchanged, including byte order mark and line endings. Secret, binary and
 * non-UTF-8 files are refused.
 */
export async function readTextFile(
  path: string,
  { files, signal, has = () => false }: ReadContext,
  coderId?: string,
): Promise<TextFile> {
  if (isSecretFile(path)) return refused(`${path} is not shown: files of this name hold secrets`)
  const tree = await files(coderId)
  if (!tree.ok) return tree
  const reply = await tree.files.read(path, limits.fileBytes, signal)
  if (!reply.ok && reply.code === 'too_large') {
    const ways = [
      has('search_files') && 'search_files finds lines in it',
      has('run_command') && 'run_command shows a part, as `sed -n 1,200p`',
    ]
    return refused(sentence`${reply.message}. ${ways.filter(Boolean).join('; ')}`)
  }
  if (!reply.ok) return refused(reply.message)
  if (isSecretFile(reply.value.path))
    return refused(`${path} is not shown: it leads to ${reply.value.path}, which holds secrets`)
  const bytes = Buffer.from(reply.value.base64, 'base64')
  if (bytes.includes(0)) return refused(`${path} is a binary file of ${bytes.length} bytes`)
  try {
    return { ok: true, text: decoder.decode(bytes), sha256: reply.value.sha256 }
  } catch {
    return refused(`${path} is not UTF-8 text.${has('run_command') ? ' If you must change it, use run_command' : ''}`)
  }
}

function refused(reason: string): TextFile {
  return { ok: false, outcome: refuse(reason) }
}
