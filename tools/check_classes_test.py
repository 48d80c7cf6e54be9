"""Tests of check_classes.py: what counts as a method and as a field."""

import unittest

import check_classes


def counted(body):
    match = check_classes.CLASS.search(check_classes.without_text(body))
    source = check_classes.without_text(body)
    return check_classes.count(match.group(2), source[match.end():check_classes.body_end(source, match.end())])


class CheckClassesTest(unittest.TestCase):
    def test_methods_and_fields(self):
        self.assertEqual(counted('''
class RAMET_EXPORT Foo final : public Bar {
 public:
  Foo(int a) : a_(a) {}
  ~Foo() override;
  Foo(const Foo&) = delete;
  Foo& operator=(const Foo&) = delete;
  int a() const { return a_; }
  template <class T>
  Status Run(T x) RAMET_REQUIRES(mutex_);
  static int Make();
  using Key = std::pair<int, int>;
  struct Inner {
    int x;
    int F() { return 1; }
  };

 private:
  friend class Baz;
  static constexpr int kMax = 3;
  const int a_;  // (a comment)
  std::vector<int> b_ RAMET_GUARDED_BY(mutex_) = {1, 2};
  std::function<void(int)> c_;
};'''), (3, 3))


if __name__ == '__main__':
    unittest.main()
