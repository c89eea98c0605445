import { resolve } from 'node:path'
import type { Drydock } from '../app/drydock.ts'
import { openAtHub } from '../app/hub/open-at-hub.ts'
import { hubClients, openDrydock } from '../compose.ts'
import { checkRecordFile } from './commands/recording/record.ts'
import type { CommonOptions, Context } from './context.ts'

export async function open({ terminal, output }: Context, options: CommonOptions): Promise<Drydock> {
  const { maxCoders, target, sandbox, record, hub } = options
  if (record !== undefined) await checkRecordFile(record)
  const here = await openDrydock({
    directory: resolve(options.repo ?? '.'),
    env: terminal.env,
    flags: { ...(maxCoders && { maxCoders }), ...(target && { target }), ...(sandbox && { sandbox }) },
  })
  const named = hub || terminal.env.DRYDOCK_HUB_URL?.trim() || null
  const drydock = hub === false ? here : await openAtHub(here, named, hubClients)
  output.hide(drydock.redact)
  return drydock
}
