import { DrydockError } from '../../domain/drydock-error.ts'
import type { HubRows } from '../commands/hub/hub-tokens.ts'
import type { Elsewhere } from '../elsewhere.ts'
import type { HeldCommands } from './held-commands.ts'

/** Things beside the Runs, which differ between a hub and one user's programs. */
export interface Door {
  /** The tokens of a hub; null for the programs of one user. */
  readonly hub: { readonly rows: HubRows; readonly now: () => Date } | null
  /** The other repositories of the user; null on a hub, which keeps to its own. */
  readonly elsewhere: Elsewhere | null
  /** Commands held back for some seconds, so that they can be undone; null without a server. */
  readonly held: HeldCommands | null
}

/** DrydockError `not_found` where no hub is. */
export function hubDoor({ hub }: Pick<Door, 'hub'>): NonNullable<Door['hub']> {
  if (hub !== null) return hub
  throw noHub()
}

/** DrydockError `not_found` where no hub with people is. */
export function peopleDoor(door: Pick<Door, 'hub'>): NonNullable<Door['hub']> {
  if (door.hub !== null) return door.hub
  throw new DrydockError('not_found', 'Only a hub has several people. Here all questions are for you.', {
    todo: 'Name your hub: --hub <url>',
  })
}

/** DrydockError `not_found`. */
export function noHub(): DrydockError {
  return new DrydockError('not_found', 'This dashboard belongs to one user. It has no tokens.', {
    todo: 'A team uses: drydock hub',
  })
}

/** DrydockError `not_found` on a hub. */
export function elsewhereDoor({ elsewhere }: Pick<Door, 'elsewhere'>): Elsewhere {
  if (elsewhere !== null) return elsewhere
  throw new DrydockError('not_found', 'A hub has one repository.', { todo: 'Start another hub for another one.' })
}

/** DrydockError `not_found` where no server holds anything. */
export function heldDoor({ held }: Pick<Door, 'held'>): HeldCommands {
  if (held !== null) return held
  throw new DrydockError('not_found', 'Only a server keeps a command for some seconds.', { todo: 'Give it at once.' })
}
