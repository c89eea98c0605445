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

/** Whether a Run has no board, since nothing is built in it. */
export function isOwnKind(detail: RunDetail): boolean {
  return kindWithoutBoard(detail) !== null
}

/** What matters of a plan, a verification or a scout's answer, in place of an empty board. */
export function OfKind({ detail }: { readonly detail: RunDetail }) {
  const kind = kindWithoutBoard(detail)
  if (kind === null) return null
  const View = parts[kind]
  return <View detail={detail} />
}
