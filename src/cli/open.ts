import { resolve } from 'node:path'
import type { Drydock } from '../app/drydock.ts'
import { openDrydock } from '../compose.ts'
import { checkRecordFile } from './commands/recording/record.ts'
import type { CommonOptions, Context } from './context.ts'

export async function open({ terminal, output }: Context, options: CommonOptions): Promise<Drydock> {
  const { maxCoders, target, sandbox, record } = options
  if (record !== undefined) await checkRecordFile(record)
  const drydock = await openDrydock({
    directory: resolve(options.repo ?? '.'),
    env: terminal.env,
    flags: { ...(maxCoders && { maxCoders }), ...(target && { target }), ...(sandbox && { sandbox }) },
  })
  output.hide(drydock.redact)
  return drydock
}
