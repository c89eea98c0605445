import type { ControlRepository } from '../../../app/commands/hub/answer-git.ts'
import type { HubRows } from '../../../app/commands/hub/hub-tokens.ts'
import type { Audit } from './audit.ts'
import type { RequestTime } from './request-time.ts'

/** The parts of a server that only a team's hub has. */
export interface Hub {
  readonly rows: HubRows
  readonly audit: Audit
  readonly control: ControlRepository
  readonly time: RequestTime
  readonly now: () => Date
}
