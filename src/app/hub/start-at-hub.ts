import { DrydockError } from '../../domain/drydock-error.ts'
import type { HubClient, HubStart } from '../../ports/hub/hub-client.ts'
import { uncommittedWork } from '../commands/uncommitted-work.ts'
import type { Drydock } from '../drydock.ts'
import { usage } from '../usage.ts'
import type { WorkOptions } from '../work-options.ts'

/** What only this machine could do. */
export interface HereOnly {
  readonly sandbox?: string
  readonly ui?: boolean
}

interface Starting extends Pick<HubStart, 'request' | 'again' | 'acceptance'> {
  readonly options: WorkOptions & HereOnly
}

/**
 * Has a hub start a Run on a commit of this clone, and returns the Run's id. DrydockError, also of
 * what the hub checks.
 */
export async function startAtHub(
  drydock: Drydock,
  hub: HubClient,
  { request, again, options, acceptance }: Starting,
): Promise<string> {
  refuseHereOnly(options)
  if (request.kind === 'task' && request.apply)
    throw usage(
      '--apply cannot be used with a hub yet.',
      'Leave it out: the result is a branch here, which you can merge.',
    )
  const { sha: base } = await drydock.userRepository.target(options.target ?? drydock.user.target ?? null)
  const uncommitted = await uncommittedWork(drydock, request)
  await pushBase(drydock, hub, base)
  const { model, architectModel, editorModel, scoutModel, budgetUsd, maxWait, allowFailing = [] } = options
  return hub.start({
    ...{ request, again, base, acceptance, ...uncommitted },
    models: {
      ...(model !== undefined && { default: model }),
      ...(architectModel !== undefined && { architect: architectModel }),
      ...(editorModel !== undefined && { editor: editorModel }),
      ...(scoutModel !== undefined && { scout: scoutModel }),
    },
    ...(budgetUsd !== undefined && { budgetUsd }),
    ...(maxWait !== undefined && { maxWaitSec: maxWait }),
    ...(allowFailing.length > 0 && { allowFailing }),
  })
}

/** A hub has its own. DrydockError `bad_usage`. */
function refuseHereOnly({ config, sandbox, maxCoders, ui }: Starting['options']): void {
  const given = [
    config !== undefined && '--config',
    sandbox !== undefined && '--sandbox',
    maxCoders !== undefined && '--max-coders',
    ui === true && '--ui',
  ].filter((flag) => flag !== false)
  if (given.length === 0) return
  const verb = given.length === 1 ? 'is' : 'are'
  throw usage(`${given.join(' and ')} ${verb} the hub's to decide.`, 'Leave it out, or work on this machine: --no-hub')
}

/** The hub is given what it lacks, below a ref of the token's own. */
async function pushBase({ userRepository, remotes }: Drydock, hub: HubClient, base: string): Promise<void> {
  const { known, name } = await hub.facts(base)
  if (known) return
  if (await userRepository.isShallow())
    throw new DrydockError('shallow_history', 'A shallow clone cannot give the hub commits that it lacks.', {
      todo: 'Fetch the whole history (git fetch --unshallow), then run the same command again.',
    })
  await remotes.sendCommit(hub.repository(), { ref: `refs/drydock/pushed/${name}/${base}`, sha: base })
}
