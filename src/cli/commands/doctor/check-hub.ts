import { tryHub } from '../../../compose.ts'
import type { CommonOptions, Context } from '../../context.ts'
import { type Check, failed } from './check.ts'

/** Checks that this machine can work for the hub at this origin. */
export async function checkHub(
  { terminal }: Context,
  { sandbox }: CommonOptions,
  url: string,
): Promise<readonly Check[]> {
  const trial = await tryHub({ env: terminal.env, flags: { ...(sandbox && { sandbox }) } }, url)
  const consequence = 'This machine cannot work for the hub.'
  const check = async (name: string, tried: () => Promise<string>): Promise<Check> => {
    try {
      return { name, ok: true, found: await tried(), exit: 0 }
    } catch (error) {
      return failed(name, error, consequence)
    }
  }
  const hub = await check('hub', trial.hub)
  if (!hub.ok) return [hub]
  return [hub, await check('database', trial.database), await check('git of hub', trial.git)]
}
