import { resolve } from 'node:path'
import type { Drydock } from '../app/drydock.ts'
import { hubOf, openAtHub } from '../app/hub/open-at-hub.ts'
import type { Installation } from '../app/installation.ts'
import { hubClients } from '../compose.ts'
import { checkRecordFile } from './commands/recording/record.ts'
import type { CommonOptions, Context } from './context.ts'
import { thisProcess } from './door/host.ts'

/**
 * Opens a reader of receipts with the user's configuration alone. Throws DrydockError `bad_config`.
 */
export const openReceipts = ({
  terminal: { env, host = thisProcess },
}: Context): ReturnType<Installation['openReceipts']> => host.openReceipts(env)

export async function open({ terminal, output }: Context, options: CommonOptions): Promise<Drydock> {
  const { maxCoders, target, sandbox, record, hub } = options
  if (record !== undefined) await checkRecordFile(record)
  const { host = thisProcess } = terminal
  const here = await host.open({
    directory: resolve(host.cwd(), options.repo ?? '.'),
    env: terminal.env,
    flags: { ...(maxCoders && { maxCoders }), ...(target && { target }), ...(sandbox && { sandbox }) },
  })
  output.hide(here.redact)
  if (hub === false) return here
  const named = hub || terminal.env.DRYDOCK_HUB_URL?.trim() || null
  if (hub !== null) return openAtHub(here, named, hubClients)
  const url = hubOf(here, named)
  if (url !== null) output.note(`This command works on this clone, not at the hub ${url}.`)
  return here
}
