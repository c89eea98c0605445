import { DrydockError } from '../../domain/drydock-error.ts'
import type { Run } from '../../domain/run/run.ts'

/** DrydockError `already_done`. */
export function done(message: string, todo: string): DrydockError {
  return new DrydockError('already_done', message, { todo })
}

/** DrydockError `already_done`. */
export function ended(run: Pick<Run, 'id' | 'state'>): DrydockError {
  return done(`${run.id} has ended: ${run.state}.`, 'See its report: drydock report')
}

/** Throws the refusal of an operation that a Run does not accept in its present state. */
export function allowed({ may }: { readonly may?: (run: Run) => DrydockError | null }, run: Run): void {
  const refusal = may?.(run) ?? null
  if (refusal !== null) throw refusal
}
