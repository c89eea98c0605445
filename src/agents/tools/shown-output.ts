import { stripVTControlCharacters } from 'node:util'
import { endsOf } from '../../domain/cap-lines.ts'
import { limits } from '../../domain/limits.ts'
import type { ToolContext } from './tool.ts'

/** A command's output; the middle of a long one is left out, and the whole is kept. */
export async function shownOutput(printed: string, { keepOutput }: Pick<ToolContext, 'keepOutput'>): Promise<string> {
  // Colours are useless to a model.
  const output = stripVTControlCharacters(printed)
  const ends = endsOf(output, limits.commandShownChars)
  if (ends === null) return output
  const name = await keepOutput(output)
  const rest =
    name === null ? 'the disk has no room to keep them' : `read them with read_file ${name}, offset ${ends.first}`
  const { head, tail, first, last, lines } = ends
  return `${head}${head.endsWith('\n') ? '' : '\n'}[lines ${first}-${last} of ${lines} are left out; ${rest}]\n${tail}`
}
