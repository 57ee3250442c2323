import { emit } from './bus.js';

const dogs = new Map();
let nextNumber = 1;

export function registerDog(name, handler) {
  if ([...dogs.values()].some((dog) => dog.name === name && dog.handler === handler)) {
    throw new Error(`${name} (${handler}) is registered already`);
  }
  const dog = Object.freeze({ number: nextNumber++, name, handler });
  dogs.set(dog.number, dog);
  emit('dog', dog);
  return dog;
}

export function findDog(number) {
  const dog = dogs.get(number);
  if (!dog) throw new Error(`no dog ${number}`);
  return dog;
}

export function allDogs() {
  return [...dogs.values()];
}

// for snapshot.js
export function replaceDogs(list, next) {
  dogs.clear();
  for (const dog of list) dogs.set(dog.number, Object.freeze({ ...dog }));
  nextNumber = next;
}

export function nextDogNumber() {
  return nextNumber;
}
