import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { ApiError } from '../../api/api-error.ts'
import { DrydockError, type ErrorCode, errorCatalogue } from '../../domain/drydock-error.ts'

const statuses: Partial<Record<ErrorCode, ContentfulStatusCode>> = {
  not_found: 404,
  already_done: 409,
  not_signed_in: 401,
  not_fresh: 403,
  not_allowed: 403,
  too_many_failures: 429,
  sign_in_failed: 403,
  identity_unreachable: 503,
  database_unreachable: 503,
  hub_standby: 503,
  foreign_request: 403,
}

export function statusOf({ code }: Pick<DrydockError, 'code'>): ContentfulStatusCode {
  return statuses[code] ?? (errorCatalogue[code].exit === 2 ? 400 : 500)
}

/** Converts an error to a response. A bug only shows its message. */
export function refusal(c: Context, error: unknown, status?: ContentfulStatusCode): Response {
  const told = toApiError(error)
  return c.json({ ...told } satisfies ApiError, status ?? statusOf(told))
}

function toApiError(error: unknown): ApiError & { readonly code: ErrorCode } {
  if (error instanceof DrydockError) return { code: error.code, message: error.message, todo: error.todo }
  const message = error instanceof Error ? error.message : String(error)
  return {
    code: 'bug',
    message: `Drydock itself failed: ${message}`,
    todo: 'Please report it, with what the terminal says.',
  }
}
