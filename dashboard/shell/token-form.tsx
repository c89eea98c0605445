import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import { signInWith } from '../data/sign-in.ts'
import { Problem } from '../parts/notice.tsx'

/**
 * The form for a personal token on a hub. The token is sent in the body of a request, and never in
 * an address. `isOnly`: there is no other way to sign in.
 */
export function TokenForm({ isOnly }: { readonly isOnly: boolean }) {
  const [token, setToken] = useState('')
  const field = useId()
  const signing = useMutation({ mutationFn: signInWith, onSettled: () => setToken('') })
  const send = (event: FormEvent) => {
    event.preventDefault()
    if (token.trim() !== '' && !signing.isPending) signing.mutate(token.trim())
  }
  return (
    <form className="stack" onSubmit={send}>
      <div className="field">
        <label htmlFor={field}>Your personal token</label>
        <input
          id={field}
          className="input"
          type="password"
          autoComplete="off"
          spellCheck={false}
          value={token}
          onChange={({ target }) => setToken(target.value)}
        />
        <small>An admin of this hub can give you one.</small>
      </div>
      {signing.isError && <Problem error={signing.error} />}
      <button
        type="submit"
        className={isOnly ? 'button primary' : 'button'}
        disabled={signing.isPending || token.trim() === ''}
      >
        {isOnly ? 'Sign in' : 'Sign in with the token'}
      </button>
    </form>
  )
}
