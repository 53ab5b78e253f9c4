/** Makes something of an object once, for as long as the object lives: what an entry asks never changes. */
export function oncePer<Key extends object, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const madeByKey = new WeakMap<Key, { readonly value: Value }>()
  return (key) => {
    const earlier = madeByKey.get(key)
    if (earlier !== undefined) return earlier.value
    const value = make(key)
    madeByKey.set(key, { value })
    return value
  }
}
