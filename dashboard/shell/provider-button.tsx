import { useMutation } from '@tanstack/react-query'
import { beginProviderSignIn, signInFailure } from '../data/provider-sign-in.ts'
import { Problem } from '../parts/notice.tsx'

/** Shown on a hub with an identity provider. */
export function ProviderButton({ provider }: { readonly provider: string }) {
  const beginning = useMutation({ mutationFn: beginProviderSignIn })
  const failure = beginning.error ?? (beginning.isIdle ? signInFailure() : null)
  return (
    <div className="stack">
      {failure !== null && <Problem error={failure} />}
      <button
        type="button"
        className="button primary"
        disabled={beginning.isPending || beginning.isSuccess}
        onClick={() => beginning.mutate()}
      >
        Sign in with {provider}
      </button>
    </div>
  )
}
