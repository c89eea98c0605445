import type { ReactNode } from 'react'
import { problemOf } from '../data/client.ts'
import { Icon, type IconName } from './icon.tsx'

/** A placeholder for missing content, with the reason and the remedy. */
export function Empty({
  icon,
  title,
  children,
  isPage = false,
}: {
  readonly icon: IconName
  readonly title: string
  readonly children?: ReactNode
  /** True if the placeholder is the page's only content. */
  readonly isPage?: boolean
}) {
  return (
    <div className="empty">
      <Icon name={icon} />
      {isPage ? <h1>{title}</h1> : <h2>{title}</h2>}
      {children && <div className="empty-text">{children}</div>}
    </div>
  )
}

/** An error and its remedy. */
export function Problem({ error, retry }: { readonly error: unknown; readonly retry?: () => void }) {
  const { message, todo } = problemOf(error)
  return (
    <div className="problem" role="alert">
      <strong>{message}</strong>
      {todo && <p>{todo}</p>}
      {retry && (
        <button type="button" className="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  )
}

export function Loading({ what }: { readonly what: string }) {
  return (
    <div className="loading" role="status">
      <span className="skeleton wide" />
      <span className="skeleton" />
      <span className="skeleton short" />
      <span className="visually-hidden">Loading {what}</span>
    </div>
  )
}
