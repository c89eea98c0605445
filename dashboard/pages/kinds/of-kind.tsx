import type { RunDetail } from '../../../src/api/runs.ts'
import { lazyPart } from '../../parts/lazy-part.tsx'
import { Loading } from '../../parts/notice.tsx'
import { kindWithoutBoard } from '../../shell/places.ts'

const loading = () => <Loading what="the result" />

const parts = {
  plan: lazyPart(() => import('./plan-view.tsx').then(({ PlanView }) => PlanView), loading),
  verify: lazyPart(() => import('./verdict-view.tsx').then(({ VerdictView }) => VerdictView), loading),
  scout: lazyPart(() => import('./scout-view.tsx').then(({ ScoutView }) => ScoutView), loading),
}

/** True if a Run has no board, since it builds nothing. */
export function isOwnKind(detail: RunDetail): boolean {
  return kindWithoutBoard(detail) !== null
}

/** The result of a plan, a verification or a scout, in place of an empty board. */
export function OfKind({ detail }: { readonly detail: RunDetail }) {
  const kind = kindWithoutBoard(detail)
  if (kind === null) return null
  const View = parts[kind]
  return <View detail={detail} />
}
