import { bytesOf, type Sought, toText } from '../../../app/commands/text-file.ts'
import { usage } from '../../../app/usage.ts'
import type { Output, Terminal } from '../../screen/output.ts'

export interface From {
  readonly terminal: Pick<Terminal, 'stdin'>
  readonly output: Pick<Output, 'note'>
}

/**
 * Reads piped input. `unasked` is true if the command line did not announce any. Throws
 * DrydockError `bad_usage`.
 */
export async function readPiped(
  { terminal, output }: From,
  sought: Sought,
  { unasked }: { readonly unasked: boolean },
): Promise<string> {
  const stream = terminal.stdin?.()
  if (stream === undefined || (unasked && stream.isTTY)) throw usage(`There is no ${sought.what}.`, sought.name)
  if (unasked) output.note(`Reading the ${sought.what} from standard input.`)
  return toText(await bytesOf(stream, sought, 'stdin'), sought, 'stdin')
}
