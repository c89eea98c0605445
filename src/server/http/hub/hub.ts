import type { z } from 'zod'
import type { addedTokenSchema, addTokenSchema } from '../../../api/hub.ts'
import type { ControlRepository } from '../../../app/commands/hub/answer-git.ts'
import { addHubToken, type HubRows } from '../../../app/commands/hub/hub-tokens.ts'
import type { Audit } from './audit.ts'
import type { RequestTime } from './request-time.ts'

/** What a server has that a team uses. */
export interface Hub {
  readonly rows: HubRows
  readonly audit: Audit
  readonly control: ControlRepository
  readonly time: RequestTime
  readonly now: () => Date
}

export type NewHubToken = z.output<typeof addTokenSchema>

/** Its answer holds a token, so it goes out as it is, and not through the redactor. */
export async function addTokenBy(
  { rows, audit, now }: Hub,
  by: string | null,
  given: NewHubToken,
): Promise<z.input<typeof addedTokenSchema>> {
  const added = await addHubToken(rows, given, now())
  audit({ what: 'token_added', by, token: given.name, role: given.role })
  return added
}
